#include "io/file_view.h"

#include "pointpng/error.h"

namespace pointpng {

void FileView::note(const std::string& what) const {
  if (notes) notes->push_back(name + ": " + what);
}

void FileView::fail(const std::string& what) const { throw InputError(name + ": " + what); }

}  // namespace pointpng
