# darwin.cmake: what only macOS has.
