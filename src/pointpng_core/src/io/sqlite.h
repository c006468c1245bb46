#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

/// The part of SQLite that bags need, with RAII.
namespace pointpng::sqlite {

struct Close {
  void operator()(sqlite3* database) const;
};
using Database = std::unique_ptr<sqlite3, Close>;

struct ReadOptions {
  bool immutable =
      true;              ///< ignore locks and logs beside the file: it may be in a read-only folder
  bool salvage = false;  ///< continue although pages are missing at the end
};

/// Null where it can't be opened.
Database open_to_read(const std::filesystem::path& path, const ReadOptions& options);
/// Throws `Error` where it can't be made.
Database create(const std::filesystem::path& path);

/// Runs statements without results; throws `Error`.
void run(sqlite3* database, const std::string& statements);

class Statement {
 public:
  /// Of a database that is damaged, `problem` says what is wrong and `step` returns false.
  Statement(sqlite3* database, const std::string& text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool step();  ///< advances to the next row; false at the end or at damage
  const std::string& problem() const { return problem_; }

  std::int64_t integer(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  ///< valid until the next step

  void bind(int parameter, std::int64_t value);
  void bind(int parameter, const std::string& value);
  void bind(int parameter, std::span<const std::byte> value);  ///< not copied: until `execute`
  void execute();  ///< one statement without rows, ready for new values; throws `Error`

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  std::string problem_;
};

}  // namespace pointpng::sqlite
