"""What does this file say?

In: the bytes of one file, its name and stated type where they are known. Out: a `ParsedDocument`:
full text, blocks with pages and character ranges, images; and its chunks. No storage, no network.

    sandbox.py           read in a child process, within time and memory; what servers call
    child.py             one child process, from outside
    worker.py, wire.py   the child's loop; documents and errors as bytes between the two
    office.py            DOC and PPT -> DOCX and PPTX, by LibreOffice (limited.py: within limits)
    parse.py             bytes -> document in this process: detect, read, name the file in errors
    chunking.py          document -> chunks within a token budget (../token_count.py)
    detection.py         which format is this? (file_format.py names them)
    charset.py           bytes -> text
    formats/             one file per format, each with `read(source, builder)`
    source.py            the file that a format is given to read
    struct_text.py       data -> text: documents that have fields and no file
    archive.py, ole.py, xml.py   ZIP, OLE and XML as strangers send them
    images.py, png.py    what kind of image this is; pixels -> PNG
    ocr.py               images of text -> text, by tesseract
    document.py          the nouns; builder.py puts them together in reading order
    limits.py            how large a file, and what comes out of it, may be
"""
