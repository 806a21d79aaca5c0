"""Files of the project that are made: schemas from models, pages and parts of documents from records."""
