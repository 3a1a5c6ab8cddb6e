#include <tenfold/backend/cuda/image_cache.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <temporary.hpp>
#include <tenfold/backend/cuda/sha256.hpp>
#include <vector>

// Compiled images on disk: what is kept, what is refused, and that nothing of it is ever in the
// way.

namespace tenfold::cuda {
namespace {

namespace fs = std::filesystem;
using testing::environment_variable;
using testing::temporary_folder;

const std::string key(64, 'a'), other_key(64, 'b');

device_image some_image(std::size_t bytes = 1000) {
  device_image image;
  for (std::size_t i = 0; i < bytes; ++i) image.code += static_cast<char>(i * 7);
  image.registers = 40;
  image.spilled_bytes = 8;
  return image;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  return all;
}
unsigned mode_of(const fs::path& path) {
  struct stat s {};
  REQUIRE(stat(path.c_str(), &s) == 0);
  return s.st_mode & 0777u;
}

}  // namespace

TEST_CASE("SHA-256 gives the values of its standard") {
  const auto hash = [](const std::string& text) { return hexadecimal(sha256(text)); };
  CHECK(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hash(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("an image that was kept is found, by another cache of the same folder too") {
  const temporary_folder folder;
  const image_cache cache(folder / "cache");
  REQUIRE(cache.is_used());
  CHECK_FALSE(cache.find(key));
  cache.keep(key, some_image());
  CHECK(cache.find(key) == some_image());
  CHECK(image_cache(folder / "cache").find(key) == some_image());
  CHECK_FALSE(cache.find(other_key));
  cache.remove(key);
  CHECK_FALSE(cache.find(key));
}

TEST_CASE("the folder and its files are this user's alone, and no half file stays") {
  const temporary_folder folder;
  const image_cache cache(folder / "far" / "cache");
  cache.keep(key, some_image());
  CHECK(mode_of(folder / "far" / "cache") == 0700);
  const auto files = files_in(folder / "far" / "cache");
  REQUIRE(files.size() == 1);
  CHECK(files[0].filename() == key + ".image");
  CHECK(mode_of(files[0]) == 0600);
}

TEST_CASE("an entry that is damaged, cut, or another's is not taken, and is replaced") {
  const temporary_folder folder;
  const image_cache cache(folder / "cache");
  cache.keep(key, some_image());
  const fs::path path = folder / "cache" / (key + ".image");
  const std::string whole = read(path);
  const auto is_taken = [&](const std::string& text) {
    write(path, text);
    return cache.find(key).has_value();
  };
  CHECK(is_taken(whole));
  for (const std::size_t at : {std::size_t{0}, std::size_t{14}, std::size_t{20}, std::size_t{90},
                               whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CHECK_FALSE(is_taken(damaged));
  }
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{10}, std::size_t{100}, whole.size() - 1})
    CHECK_FALSE(is_taken(whole.substr(0, bytes)));
  CHECK_FALSE(is_taken(whole + "x"));
  cache.keep(other_key, some_image());
  fs::rename(folder / "cache" / (other_key + ".image"), path);
  CHECK_FALSE(cache.find(key));
  cache.keep(key, some_image());
  CHECK(cache.find(key) == some_image());
}

TEST_CASE("a folder that others may enter, or that is none, is not used") {
  const temporary_folder folder;
  REQUIRE(mkdir((folder / "open").c_str(), 0700) == 0);
  REQUIRE(chmod((folder / "open").c_str(), 0755) == 0);
  write(folder / "file", "");
  fs::create_directory_symlink(folder / "open", folder / "link");
  for (const fs::path& path : {folder / "open", folder / "file", folder / "link",
                               folder / "file" / "inside", fs::path()}) {
    const image_cache cache(path);
    CHECK_FALSE(cache.is_used());
    cache.keep(key, some_image());
    CHECK_FALSE(cache.find(key));
    cache.remove(key);
  }
  CHECK(files_in(folder / "open").empty());
}

TEST_CASE("an entry that is a link is not followed") {
  const temporary_folder folder;
  const image_cache cache(folder / "cache");
  cache.keep(key, some_image());
  fs::rename(folder / "cache" / (key + ".image"), folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", folder / "cache" / (key + ".image"));
  CHECK_FALSE(cache.find(key));
}

TEST_CASE("when the cache is full what was not used for longest goes") {
  const temporary_folder folder;
  const image_cache cache(folder / "cache", 3500);
  const std::string keys[] = {std::string(64, '1'), std::string(64, '2'), std::string(64, '3')};
  const auto age = [&](const std::string& k, int hours) {
    fs::last_write_time(folder / "cache" / (k + ".image"),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int i = 0; i < 3; ++i) {
    cache.keep(keys[i], some_image());
    age(keys[i], 10 - i);
  }
  CHECK(cache.find(keys[0]));  // used now
  cache.keep(key, some_image());
  CHECK(cache.find(keys[0]));
  CHECK_FALSE(cache.find(keys[1]));
  CHECK(cache.find(keys[2]));
  CHECK(cache.find(key));
}

TEST_CASE("a full cache removes nothing that is not its own") {
  const temporary_folder folder;
  const image_cache cache(folder / "cache", 530);  // two images of 251 bytes
  for (const std::string& name : {std::string("letter.txt"), std::string("cat.image"),
                                  other_key + ".image.txt", other_key, other_key + ".txt"})
    write(folder / "cache" / name, std::string(1000, 'x'));
  fs::create_directory(folder / "cache" / "empty");
  write(folder / "cache" / (other_key + ".a1B2c3"), "half a file of a process that ended");
  cache.keep(key, some_image(100));
  CHECK(cache.find(key));
  cache.keep(other_key, some_image(100));
  CHECK(cache.find(other_key));
  CHECK(files_in(folder / "cache").size() == 8);  // the half file is gone
  cache.keep(std::string(64, 'c'), some_image(100));
  CHECK(files_in(folder / "cache").size() == 8);  // the oldest image is gone
  CHECK(fs::exists(folder / "cache" / "letter.txt"));
}

TEST_CASE("a folder may be named with a slash at its end, and a link may not") {
  const temporary_folder folder;
  const image_cache cache(folder / "cache/");
  CHECK(cache.is_used());
  CHECK(mode_of(folder / "cache") == 0700);
  CHECK(image_cache(folder / "other/./").is_used());
  fs::create_directory_symlink(folder / "cache", folder / "link");
  CHECK_FALSE(image_cache(folder / "link/").is_used());
}

TEST_CASE("the folder of a user is found by the environment") {
  const environment_variable home("HOME", "/home/someone"), xdg("XDG_CACHE_HOME", nullptr),
      named("TENFOLD_CACHE_DIR", nullptr);
  CHECK(image_cache::folder_of_user() == "/home/someone/.cache/tenfold");
  {
    const environment_variable relative("XDG_CACHE_HOME", "somewhere");
    CHECK(image_cache::folder_of_user() == "/home/someone/.cache/tenfold");
    const environment_variable given("XDG_CACHE_HOME", "/caches");
    CHECK(image_cache::folder_of_user() == "/caches/tenfold");
    const environment_variable ours("TENFOLD_CACHE_DIR", "/ours");
    CHECK(image_cache::folder_of_user() == "/ours");
  }
  const environment_variable homeless("HOME", nullptr);
  CHECK(image_cache::folder_of_user().empty());
}

TEST_CASE("a key depends on text, architecture and compiler, and on nothing else") {
  const std::string one = image_key("text", 90, 13000);
  CHECK(one.size() == 64);
  CHECK(one == image_key("text", 90, 13000));
  CHECK(one != image_key("texts", 90, 13000));
  CHECK(one != image_key("text", 80, 13000));
  CHECK(one != image_key("text", 90, 12090));
}

}  // namespace tenfold::cuda
