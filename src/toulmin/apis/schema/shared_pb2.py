"""At run time nothing; the `.pyi` beside it has the types of what every API shares."""
