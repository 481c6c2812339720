"""One run from its words to its offer: jobs, drafts, the Action loop, the course."""
