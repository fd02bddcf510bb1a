"""From blocks to sections: what stands under which heading, also where the file format has no headings."""
