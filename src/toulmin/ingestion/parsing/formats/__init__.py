"""One file per format, each with `read(source, builder)`: adds the file's blocks to the builder."""
