"""Reading a place's own website: crawling it politely, and taking statements from its markup and its text."""
