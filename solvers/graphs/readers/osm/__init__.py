"""Reader of OpenStreetMap extracts: PBF, and XML plain, gzip or bzip2. Imported only
where such a file is read.
"""
