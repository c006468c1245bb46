#pragma once

namespace pointpng {

/// Keeps freed memory in the process. LibTorch allocates and frees the same large temporaries at
/// every step; by default they are returned to the kernel and come back as zeroed pages, which made
/// element-wise operations three times slower. Call once, first thing in main().
void tune_allocator();

}  // namespace pointpng
