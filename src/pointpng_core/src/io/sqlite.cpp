#include "io/sqlite.h"

#include <sqlite3.h>

#include <fmt/format.h>

#include "pointpng/error.h"

namespace pointpng::sqlite {
namespace {

/// A path as part of a URI: SQLite reads %, ? and # there.
std::string escaped(const std::filesystem::path& path) {
  std::string text;
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      text += fmt::format("%{:02x}", static_cast<int>(c));
    } else {
      text += c;
    }
  }
  return text;
}

[[noreturn]] void fail(sqlite3* database) {
  throw Error(std::string("SQLite: ") + sqlite3_errmsg(database));
}

}  // namespace

void Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Database open_to_read(const std::filesystem::path& path, const ReadOptions& options) {
  sqlite3* raw = nullptr;
  const std::string uri =
      "file:" + escaped(path) + (options.immutable ? "?immutable=1" : "?mode=ro");
  const int status =
      sqlite3_open_v2(uri.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  Database database(raw);
  if (status != SQLITE_OK) return nullptr;
  // Untrusted file: its schema may not call functions, and its pages are checked as they are
  // read.
  const char* careful = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
  sqlite3_exec(raw, careful, nullptr, nullptr, nullptr);
  // The only switch that keeps SQLite from rejecting a file with fewer pages than its header says;
  // the connection can't write anyway.
  if (options.salvage) sqlite3_exec(raw, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr);
  // Nothing is read before the first query.
  if (sqlite3_exec(raw, "SELECT COUNT(*) FROM sqlite_master", nullptr, nullptr, nullptr) !=
      SQLITE_OK)
    return nullptr;
  return database;
}

Database create(const std::filesystem::path& path) {
  sqlite3* raw = nullptr;
  const int status = sqlite3_open(path.c_str(), &raw);
  Database database(raw);
  if (status != SQLITE_OK) throw Error(fmt::format("can't write {}", path.string()));
  return database;
}

void run(sqlite3* database, const std::string& statements) {
  if (sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(database);
}

Statement::Statement(sqlite3* database, const std::string& text) : database_(database) {
  if (sqlite3_prepare_v2(database, text.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
    problem_ = sqlite3_errmsg(database);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

bool Statement::step() {
  if (!problem_.empty()) return false;
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) problem_ = sqlite3_errmsg(database_);
  return false;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  return text ? reinterpret_cast<const char*>(text) : "";
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  if (!bytes) return {};
  return {static_cast<const std::byte*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_, parameter, value);
}

void Statement::bind(int parameter, const std::string& value) {
  sqlite3_bind_text(statement_, parameter, value.c_str(), -1, SQLITE_TRANSIENT);
}

void Statement::bind(int parameter, std::span<const std::byte> value) {
  sqlite3_bind_blob64(statement_, parameter, value.data(), value.size(), SQLITE_STATIC);
}

void Statement::execute() {
  if (!statement_ || sqlite3_step(statement_) != SQLITE_DONE) fail(database_);
  sqlite3_reset(statement_);
}

}  // namespace pointpng::sqlite
