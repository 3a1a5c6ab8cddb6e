#include <tenfold/contraction/expand.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>

#include <doctest/doctest.h>

#include <reading.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace tenfold;

// Most of the parser's tests are static_asserts: it runs at compile time first of all.

namespace {

constexpr limits L = small_limits;

constexpr parse_result<L> read(std::string_view text) { return parse<L>(text); }

/// The labels of a factor (the result: -1), by number.
template <class... Labels>
constexpr bool has(const parse_result<L>& r, int factor, Labels... labels) {
  const statement<L>& s = r.value.list[0];
  const auto& list = factor < 0 ? s.result : s.factors[factor].labels;
  if (r.error || list.count != static_cast<int>(sizeof...(labels))) return false;
  int i = 0;
  return (... && (list[i++] == labels));
}

constexpr std::string_view name_of(std::string_view text, const parse_result<L>& r, int label) {
  const label_name& n = r.names.name[label];
  return text.substr(static_cast<std::size_t>(n.begin), static_cast<std::size_t>(n.length));
}

constexpr limits S = with_sums(L);

constexpr parse_result<S> sum_of(std::string_view text) { return parse<S>(text); }

/// A statement of a sum: its kind, the inputs or results that it reads, the labels of its result.
struct addend {
  int source, sign;
};
template <int N, int R>
constexpr bool says(const statement<S>& s, statement_kind kind, const addend (&factors)[N],
                    const int (&result)[R]) {
  bool same = s.kind == kind && s.factor_count == N && s.result.count == R;
  for (int f = 0; f < N; ++f) {
    same = same && s.factors[f].source == factors[f].source && s.factors[f].sign == factors[f].sign;
  }
  for (int i = 0; i < R; ++i) same = same && s.result[i] == result[i];
  return same;
}

/// The full sentence of what is wrong with the text, or with the text over operands of these ranks.
std::string sentence(std::string_view text, std::vector<int> ranks = {}) {
  const auto parsed = sum_of(text);
  const auto expanded =
      expand<S>(parsed.value, parsed.names, ranks.data(), static_cast<int>(ranks.size()));
  try {
    throw_diagnostic(parsed.error ? parsed.error : expanded.error, text);
  } catch (const error& e) {
    return e.what();
  }
}

/// Does the text fail with this diagnosis, the label `what` at `position`?
constexpr bool fails(std::string_view text, diagnosis code, int position, std::string_view what,
                     index number = 0) {
  const diagnostic e = read(text).error;
  return e.code == code && e.position == position &&
         text.substr(static_cast<std::size_t>(e.position), static_cast<std::size_t>(e.length)) ==
             what &&
         e.numbers[0] == number;
}

}  // namespace

// --- terms and labels ---------------------------------------------------------------------------

static_assert(read("ij,jk->ik").value.input_count == 2);
static_assert(read("ij,jk->ik").value.label_count == 3);
static_assert(read("ij,jk->ik").value.count == 1, "einsum is a list of one statement");
static_assert(has(read("ij,jk->ik"), 0, 0, 1));
static_assert(has(read("ij,jk->ik"), 1, 1, 2));
static_assert(has(read("ij,jk->ik"), -1, 0, 2));
static_assert(read("ij,jk->ik").value.list[0].factors[0].source == 0);
static_assert(read("ij,jk->ik").value.list[0].factors[1].source == 1);

static_assert(read("ij,jk->ik").value == read("ab,bc->ac").value, "letters do not matter");
static_assert(read("ij,jk->ik").value == read("Zq,qA->ZA").value);
static_assert(read("ij,jk->ik").value != read("ij,kj->ik").value);

static_assert(has(read("iij->ji"), 0, 0, 0, 1), "a label may stand twice in an operand");
static_assert(has(read("iij->ji"), -1, 1, 0));
static_assert(has(read("i,i,i->"), -1), "no label behind the arrow: a scalar");

// --- scalars ------------------------------------------------------------------------------------

static_assert(has(read(",ij->ij"), 0));
static_assert(has(read(",ij->ij"), 1, 0, 1));
static_assert(read("").value.input_count == 1, "no text: one operand of rank 0");
static_assert(has(read(""), 0) && has(read(""), -1));
static_assert(has(read("->"), 0) && has(read("->"), -1));
static_assert(read(",").value.input_count == 2);
static_assert(read(",,->").value.input_count == 3);

// --- the output that is not written -------------------------------------------------------------

static_assert(has(read("ij,jk"), -1, 0, 2));
static_assert(has(read("ji,kj"), -1, 1, 2), "sorted by name: i, then k");
static_assert(has(read("ba"), -1, 1, 0), "a transposition");
static_assert(has(read("ii"), -1), "a trace");
static_assert(has(read("ii,i"), -1));
static_assert(has(read("aB"), -1, 1, 0), "bytewise: capitals first");
static_assert(has(read("[b]a[ab]"), -1, 1, 2, 0), "bytewise: a, ab, b");
static_assert(read("ij,jk").value == read("ij,jk->ik").value);
static_assert(read("ba").names.position[L.operands][0] == 1, "points to the only occurrence");

// --- labels in brackets -------------------------------------------------------------------------

static_assert(has(read("[elem][q][i],[elem][i]->[elem][q]"), 0, 0, 1, 2));
static_assert(has(read("[elem][q][i],[elem][i]->[elem][q]"), 1, 0, 2));
static_assert(has(read("[elem][q][i],[elem][i]->[elem][q]"), -1, 0, 1));
static_assert(name_of("[elem]q->q", read("[elem]q->q"), 0) == "elem");
static_assert(has(read("[i]j,ji->i"), 1, 1, 0), "[i] is i");
static_assert(has(read("[ab]ab->[ab]"), 0, 0, 1, 2), "[ab] is neither a nor b");
static_assert(has(read("[dof 1][->],[dof 1]->[->]"), 0, 0, 1), "any characters but brackets");
static_assert(has(read("[\xc3\xa4]->[\xc3\xa4]"), 0, 0), "in any encoding");

// --- white space --------------------------------------------------------------------------------

static_assert(read(" i j ,\tj k ->\n i k ").value == read("ij,jk->ik").value);
static_assert(read("ij ,jk").value == read("ij,jk->ik").value);
static_assert(read("  ").value == read("").value);
static_assert(has(read("[i ]i->i"), 0, 0, 1), "inside brackets it belongs to the name");

// --- the ellipsis -------------------------------------------------------------------------------

constexpr auto stretched = read("...ij,j...->...i");
static_assert(!stretched.error && stretched.value.has_ellipsis);
static_assert(stretched.value.list[0].factors[0].ellipsis == 0, "in front of label 0");
static_assert(stretched.value.list[0].factors[1].ellipsis == 1, "behind the last label");
static_assert(stretched.value.list[0].result_ellipsis == 0);
static_assert(stretched.names.ellipsis[0] == 0 && stretched.names.ellipsis[1] == 7);
static_assert(stretched.names.ellipsis[L.operands] == 12);
static_assert(has(stretched, 0, 0, 1) && has(stretched, 1, 1) && has(stretched, -1, 0));
static_assert(read("i ... j->i...j").value.list[0].factors[0].ellipsis == 1);
static_assert(read("ij,jk->ik").value.list[0].factors[0].ellipsis == -1, "no ellipsis");
static_assert(!read("ij,jk->ik").value.has_ellipsis);
static_assert(read("i[...]->i").value.label_count == 2, "in brackets it is a name");
static_assert(!read("i[...]->i").value.has_ellipsis);
static_assert(read("i...").value.list[0].result_ellipsis == 0, "in front of an output not written");
static_assert(read("ba...").names.ellipsis[L.operands] == 2);
static_assert(has(read("b...a"), -1, 1, 0));
static_assert(read("...ii").value.list[0].result_ellipsis == 0);

// --- sums of products ---------------------------------------------------------------------------

constexpr auto difference = sum_of("eij,ej - ei -> ei");
static_assert(!difference.error && difference.value.count == 3);
static_assert(difference.value.input_count == 3 && difference.value.label_count == 3);
static_assert(says(difference.value.list[0], statement_kind::contract, {{0, 1}, {1, 1}}, {0, 1}));
static_assert(says(difference.value.list[1], statement_kind::pointwise, {{2, 1}}, {0, 1}));
static_assert(says(difference.value.list[2], statement_kind::sum, {{3, 1}, {4, -1}}, {0, 1}));
static_assert(difference.value.list[1].factors[0].labels == difference.value.list[2].result);
static_assert(difference.names.position[2][0] == 9 && difference.names.position[2][1] == 10,
              "positions by input");

static_assert(says(sum_of("ij+ji->ji").value.list[0], statement_kind::pointwise, {{0, 1}}, {1, 0}),
              "every term has the output's labels in the output's order");
static_assert(says(sum_of("ij+ji->ji").value.list[2], statement_kind::sum, {{2, 1}, {3, 1}},
                   {1, 0}));
static_assert(says(sum_of("-i+i->i").value.list[2], statement_kind::sum, {{2, -1}, {3, 1}}, {0}));
static_assert(says(sum_of("- ij,j -> i").value.list[1], statement_kind::sum, {{2, -1}}, {0}),
              "one term with a sign is a sum");
static_assert(sum_of("+ij,j->i").value == sum_of("ij,j->i").value, "a plus in front says nothing");
static_assert(sum_of("ij,jk->ik").value.count == 1,
              "a product is one statement, whatever the room");
static_assert(sum_of("ii - ->").value.list[1].factors[0].labels.count == 0, "minus a scalar");
static_assert(sum_of("ij-jk->j").value == sum_of(" i j - j k -> j ").value);
static_assert(says(sum_of("ij,jk+ik").value.list[2], statement_kind::sum, {{3, 1}, {4, 1}}, {0, 2}),
              "without an arrow: what occurs once in every term");
static_assert(says(sum_of("ba-ab").value.list[2], statement_kind::sum, {{2, 1}, {3, -1}}, {1, 0}));
static_assert(sum_of("...ij,...j+...i").value.list[2].factors[1].ellipsis == 0);
static_assert(sum_of("...ij,...j+...i").value.list[2].result_ellipsis == 0);
static_assert(sum_of("[-],[+]->[->]").error.code == diagnosis::output_label_unknown,
              "in brackets a sign is a name");
static_assert(sum_of("[-],[+]->[+]").value.count == 1);

// --- where everything stands --------------------------------------------------------------------

static_assert(read("ij, [jk]->i").names.position[0][1] == 1);
static_assert(read("ij, [jk]->i").names.position[1][0] == 5);
static_assert(read("ij, [jk]->i").names.position[L.operands][0] == 10);
static_assert(read("ij, [jk]->i").names.name[2] == label_name{5, 2});

// --- kinds --------------------------------------------------------------------------------------

static_assert(read("ij,jk->ik").value.list[0].kind == statement_kind::contract);
static_assert(read("i,i->").value.list[0].kind == statement_kind::contract);
static_assert(read("ij,i->ij").value.list[0].kind == statement_kind::pointwise);
static_assert(read("i,j->ij").value.list[0].kind == statement_kind::pointwise);
static_assert(read("ii->i").value.list[0].kind == statement_kind::pointwise);

// --- errors: the first one, its place and its words ---------------------------------------------

static_assert(fails("ij,jk->im", diagnosis::output_label_unknown, 8, "m"));
static_assert(fails("ij->i[jj]", diagnosis::output_label_unknown, 6, "jj"));
static_assert(fails("ij->iji", diagnosis::output_label_repeated, 6, "i"));
static_assert(fails("ij;jk->ik", diagnosis::unexpected_character, 2, ";"));
static_assert(fails("i2->i", diagnosis::unexpected_character, 1, "2"));
static_assert(fails("i]j", diagnosis::unexpected_character, 1, "]"));
static_assert(fails("i\xc3->i", diagnosis::unexpected_character, 1, "\xc3"));
static_assert(fails("i\xc3\xa9->i", diagnosis::unexpected_character, 1, "\xc3\xa9"),
              "a character of two bytes is named whole");
static_assert(fails("ij>i", diagnosis::broken_arrow, 2, ">"));
static_assert(sum_of("ij- >i").error == diagnostic{diagnosis::broken_arrow, 4, 1, {}},
              "the arrow is one token");
static_assert(fails("ij->i->j", diagnosis::second_arrow, 5, "-"));
static_assert(fails("ij->i,j", diagnosis::comma_in_output, 5, ","));
static_assert(fails("i[jk,kl", diagnosis::open_bracket, 1, "["));
static_assert(fails("i[j[k]->i", diagnosis::open_bracket, 1, "["), "no '[' in a name");
static_assert(fails("i[]->i", diagnosis::empty_bracket, 1, "["));
static_assert(fails("..ij->ij", diagnosis::broken_ellipsis, 0, ".."));
static_assert(fails("i.j->ij", diagnosis::broken_ellipsis, 1, "."));
static_assert(fails("i.. .->i", diagnosis::broken_ellipsis, 1, ".."));
static_assert(fails("....i->i", diagnosis::broken_ellipsis, 3, "."));
static_assert(fails("...i...->i", diagnosis::second_ellipsis, 4, "..."));
static_assert(fails("...i->...i...", diagnosis::second_ellipsis, 10, "..."));
static_assert(fails("ij->i+j", diagnosis::sign_in_output, 5, "+"));
static_assert(fails("ij->i-j", diagnosis::sign_in_output, 5, "-"));
static_assert(sum_of("ij-").error == diagnostic{diagnosis::terms_disagree, -1, 0, {1}});
static_assert(sum_of("ij-ij+jk").error == diagnostic{diagnosis::terms_disagree, -1, 0, {2}});
static_assert(sum_of("eij,ej-ei").error == diagnostic{diagnosis::terms_disagree, -1, 0, {1}},
              "e occurs twice in term 0");
static_assert(sum_of("ij+jk->ij").error == diagnostic{diagnosis::term_lacks_label, 7, 1, {1}});
static_assert(sum_of("j+[ij]->[ij]").error == diagnostic{diagnosis::term_lacks_label, 9, 2, {0}});
static_assert(sum_of("ij+ji->jim").error.code == diagnosis::output_label_unknown);
static_assert(fails("i+i->i", diagnosis::too_many_terms, 1, "+"), "a product's room has no sums");
static_assert(sum_of("a+b+c+d+e->").error == diagnostic{diagnosis::too_many_terms, 7, 1, {4}});
static_assert(sum_of("a,b+c,d,e->").error == diagnostic{diagnosis::too_many_operands, 7, 1, {4}});
static_assert(fails("a,b,c,d,e", diagnosis::too_many_operands, 7, ",", L.operands));
static_assert(fails("abcdefgh,ijklm->a", diagnosis::too_many_labels, 13, "m", L.labels));
static_assert(fails("abcdefghi->a", diagnosis::too_high_rank, 8, "i", L.rank));
static_assert(fails("abcdefgh,ijkl", diagnosis::too_high_rank, 9, "i", L.rank), "in the output");
static_assert(fails("i?j->im", diagnosis::unexpected_character, 1, "?"), "the first error counts");

// --- limits -------------------------------------------------------------------------------------

static_assert(limits_of("ij,jk->ik") == small_limits);
static_assert(limits_of("a,b,c,d->") == small_limits);
static_assert(limits_of("a,b,c,d,e->") == medium_limits);
static_assert(limits_of("qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn") == medium_limits);
static_assert(limits_of("a,b,c,d,e,f,g,h,i,j->") == medium_limits);
static_assert(limits_of("a,b,c,d,e,f,g,h,i,j,k->") == large_limits);
static_assert(limits_of("abcdefgh->a") == small_limits);
static_assert(limits_of("abcdefghi->a") == medium_limits);
static_assert(limits_of("a b c d e f g h -> a") == small_limits, "white space is no label");
static_assert(limits_of("a\tb\nc\rd e f g h -> a") == small_limits);
static_assert(limits_of("abcdefgh,hijkl->a") == small_limits);
static_assert(limits_of("abcdefgh,hijklm->a") == medium_limits);
static_assert(limits_of("abcdefg,hijkl") == medium_limits, "the output may hold all labels");
static_assert(limits_of("[element][point],[element][node]->[node][point]") == small_limits,
              "a name in brackets is one label");
static_assert(limits_of("[x1][x2][x3][x4],[x1][x2][x3][x4],[x1][x2][x3][x4],[x1]->[x1]") ==
                  small_limits,
              "the same name is one label");
static_assert(limits_of("ij,jk->i[k") == small_limits, "an error is left to parse");
static_assert(limits_of("ij-ij->ij") == with_sums(small_limits));
static_assert(limits_of("- ij->ij") == with_sums(small_limits));
static_assert(limits_of("-a+b-c+d->") == with_sums(small_limits),
              "a sign in front adds no operand");
static_assert(limits_of("a+b+c+d+e->") == with_sums(medium_limits));
static_assert(limits_of("[-]->[-]") == small_limits);

template <int N>
constexpr limits room(std::string_view text, const int (&ranks)[N]) {
  return limits_of(text, ranks, N);
}
static_assert(room("...ij,...jk->...ik", {8, 3}) == small_limits);
static_assert(room("...ij,...jk->...ik", {3, 9}) == medium_limits, "an operand of rank 9");
static_assert(room("...i,jk->...ijk", {7, 2}) == medium_limits, "an output of rank 9");
static_assert(room("...abcdef,...ghijkl->", {7, 6}) == medium_limits, "13 labels");
static_assert(room("...abcdef,...ghijkl->", {6, 6}) == small_limits);
static_assert(room("...i->...i", {0}) == small_limits, "a rank too small is left to expand");
static_assert(room("ij->ij", {9}) == small_limits, "without an ellipsis ranks tell nothing");

TEST_CASE("whatever limits_of says, parse fits into") {
  const std::string_view texts[] = {
      "",
      ",",
      "abcdefghijkl",
      "abcdefgh,ijkl",
      "[a][b][c][d],[b][e][f][g],[h][i][j][k],[l]->[a]",
      "[ab][b][a][ba],[b][aa][bb]->[ab][aa]",
      "abcdefghijklmnopqrstuvwx,abcdefghijklmnopqrstuvwx->",
      "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F",
      "abcdefghijklmnopqrstuvwxyzABCDEF,abcdefghijklmnopqrstuvwxyzABCDEF->",
  };
  for (const std::string_view text : texts) {
    CAPTURE(text);
    const limits l = limits_of(text);
    if (l == small_limits) CHECK(parse<small_limits>(text).error.code == diagnosis::none);
    if (l == medium_limits) CHECK(parse<medium_limits>(text).error.code == diagnosis::none);
    if (l == large_limits) CHECK(parse<large_limits>(text).error.code == diagnosis::none);
  }
}

TEST_CASE("parse says what is more than the large limits hold") {
  std::string operands = "a";
  for (int i = 0; i < 32; ++i) operands += ",a";
  CHECK(limits_of(operands) == large_limits);
  const diagnostic too_many = parse<large_limits>(operands).error;
  CHECK(too_many.code == diagnosis::too_many_operands);
  CHECK(too_many.numbers[0] == 32);

  std::string labels;
  for (int i = 0; i < 65; ++i)
    labels += (i % 20 == 19 ? "," : "") + ("[l" + std::to_string(i)) + "]";
  const diagnostic one_more = parse<large_limits>(labels + "->").error;
  CHECK(one_more.code == diagnosis::too_many_labels);
  CHECK(one_more.numbers[0] == 64);

  std::string rank;
  for (int i = 0; i < 33; ++i) rank += "i";
  const diagnostic too_high = parse<large_limits>(rank).error;
  CHECK(too_high.code == diagnosis::too_high_rank);
  CHECK(too_high.position == 32);
}

TEST_CASE("what cannot be read is told in one sentence") {
  CHECK(sentence("..ij->ij") ==
        "tenfold: \"..ij->ij\": '..' at position 0 is part of an ellipsis, which is '...'");
  CHECK(sentence("...i...->i") ==
        "tenfold: \"...i...->i\": a second ellipsis at position 4: an operand, or the output, has "
        "one "
        "at most");
  CHECK(sentence("ij->i + j") ==
        "tenfold: \"ij->i + j\": '+' at position 6 stands in the output: a sum stands before '->'");
  CHECK(
      sentence("ij - jk") ==
      "tenfold: \"ij - jk\": the labels that occur once in term 1 of the sum are not those of term "
      "0: write the output behind '->'");
  CHECK(sentence("ij + jk -> ij") ==
        "tenfold: \"ij + jk -> ij\": term 1 of the sum lacks the output label 'i' at position 11");
  CHECK(sentence("a+b+c+d+e->") == "tenfold: \"a+b+c+d+e->\": more than 4 terms in a sum");
  CHECK(sentence("ij*jk") ==
        "tenfold: \"ij*jk\": character '*' at position 2 is neither a label, ',', '+', '-', '...' "
        "nor "
        "'->'");
  CHECK(sentence("ij>i") ==
        "tenfold: \"ij>i\": '>' at position 2 is half an arrow: the output stands behind '->'");
}

TEST_CASE("an ellipsis that does not fit its operands is told in one sentence") {
  CHECK(sentence("...ij,j->...i", {1, 1}) ==
        "tenfold: \"...ij,j->...i\": operand 0 has rank 1, its subscripts name 2 labels beside the "
        "ellipsis");
  CHECK(
      sentence("ij,...j->i", {2, 3}) ==
      "tenfold: \"ij,...j->i\": the ellipsis at position 3 stands for 2 axes: the output needs an "
      "ellipsis, too");
  CHECK(sentence("...ij - j...i", {4, 3}) ==
        "tenfold: \"...ij - j...i\": term 1 of the sum lacks the output label '...' at position 0");
  CHECK(
      sentence("...i->...i", {9}) ==
      "tenfold: \"...i->...i\": label 'i' at position 3 is one more than 8 labels in one operand");
  CHECK(sentence("...i->...i", {2, 2}) ==
        "tenfold: \"...i->...i\": the subscripts name 1 operands, 2 were given");
}

// What the output of an ellipsis expands to, in numbers: the labels of "...ij,...jk".
static_assert(
    [] {
      const auto parsed = read("...ij,...jk");
      const int ranks[] = {3, 3};
      const auto expanded = expand<L>(parsed.value, parsed.names, ranks, 2).value;
      const auto named = read("eij,ejk->eik").value;
      return expanded.list[0].result == named.list[0].result &&
             expanded.list[0].factors[1].labels == named.list[0].factors[1].labels &&
             expanded.stretchable == bit(0);
    }(),
    "the ellipsis stands in front of an output that is not written");

TEST_CASE("a sum of 32 terms is parsed") {
  std::string text = "a";
  for (int i = 1; i < 32; ++i) text += i % 2 == 0 ? "+a" : "-a";
  REQUIRE(limits_of(text) == with_sums(large_limits));
  const auto parsed = parse<with_sums(large_limits)>(text);
  CHECK(parsed.error.code == diagnosis::none);
  CHECK(parsed.value.count == 33);
  CHECK(parsed.value.list[32].factors[31].sign == -1);
  CHECK(parsed.value.list[32].factors[31].source == 63);
  CHECK(parse<with_sums(large_limits)>(text + "+a").error.code == diagnosis::too_many_terms);
}

TEST_CASE("parse agrees with a second reading of the subscripts") {
  const std::string_view texts[] = {
      "ij,jk->ik",
      "ij,jk",
      "ba",
      "ii",
      "iij,jk->ki",
      ",ij",
      "i , j -> j i",
      "[ab]c,c[ab]",
      "[z]a[b]",
      "aB,Bc",
      "",
      "->",
      ",,",
      "a,ab,abc->b",
      "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn",
  };
  for (const std::string_view text : texts) {
    CAPTURE(text);
    const auto parsed = parse<medium_limits>(text);
    const testing::reading read = testing::read_subscripts(text);
    const auto& s = parsed.value.list[0];
    REQUIRE(parsed.error.code == diagnosis::none);
    const auto names = [&](const auto& labels) {
      std::vector<std::string> all;
      for (int i = 0; i < labels.count; ++i) {
        const label_name& n = parsed.names.name[labels[i]];
        all.emplace_back(
            text.substr(static_cast<std::size_t>(n.begin), static_cast<std::size_t>(n.length)));
      }
      return all;
    };
    REQUIRE(s.factor_count == static_cast<int>(read.inputs.size()));
    for (int f = 0; f < s.factor_count; ++f) {
      CHECK(names(s.factors[f].labels) == read.inputs[static_cast<std::size_t>(f)]);
    }
    CHECK(names(s.result) == read.output);
  }
}
