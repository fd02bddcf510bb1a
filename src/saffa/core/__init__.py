"""The values that flow between rooms: texts, videos, alignments, selections, time. They know nothing but each other."""
