#pragma once

namespace pointpng {

/// Keeps freed memory in the process. LibTorch allocates and frees the same large temporaries at
/// every step; by default each goes back to the kernel and comes again as zeroed pages, which made
/// element-wise work three times slower. Call once, first thing in main().
void tune_allocator();

}  // namespace pointpng
