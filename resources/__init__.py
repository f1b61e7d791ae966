"""Icons, sample graphs and pictures: files only."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
