"""An encoder for clip features, trained contrastively (msvd-plus)."""
