"""Every CUDA variant under compute-sanitizer: ``python -m tests.sanitize``, or ``make sanitize``.

Needs an NVIDIA GPU, CuPy, and ``compute-sanitizer`` of the CUDA toolkit. The variants
that are racy by design are left out. Each tool checks all variants in one process
(``work.py``), because a start under compute-sanitizer takes seconds.
"""
