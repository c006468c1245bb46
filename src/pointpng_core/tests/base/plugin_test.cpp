#include "base/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TEST(Plugin, AMissingLibraryIsNamed) {
  EXPECT_THAT([] { plugin_entry("libpointpng_none.so.0", "entry", "Support for nothing"); },
              ThrowsMessage<InputError>(AllOf(StartsWith("Support for nothing is not installed: "),
                                              HasSubstr("libpointpng_none.so.0"))));
}

TEST(Plugin, AMissingEntryIsNamed) {
  EXPECT_THAT([] { plugin_entry("libpointpng_hdf5.so.0", "no_such_entry", "Support"); },
              ThrowsMessage<InputError>(HasSubstr("no_such_entry")));
}

TEST(Plugin, TheLibraryBesideThisOneIsFound) {
  EXPECT_NE(plugin_entry("libpointpng_hdf5.so.0", "pointpng_hdf5_plugin", "Support"), nullptr);
}

}  // namespace
}  // namespace pointpng
