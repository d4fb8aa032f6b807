"""What is shown beside an answer: images of the documents, charts of their tables.

In: an answer and its passages. Out: attachments.

    attachments.py         which images and charts go with an answer
    number_table.py        a table in a passage -> labels and numbers
    chart.py               labels and numbers -> a picture (SVG)
"""
