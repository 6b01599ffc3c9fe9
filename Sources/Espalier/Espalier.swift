@_exported public import EspalierCore
