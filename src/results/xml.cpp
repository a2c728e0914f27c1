// SPDX-License-Identifier: Apache-2.0
#include "results/xml.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr std::size_t kMostLevels = 64;

// What expat's callbacks fill. The open elements are on a stack by value and move into their
// parents when they end.
struct XmlBuilder {
  XML_Parser parser = nullptr;
  std::vector<XmlElement> open = {};
  std::optional<XmlElement> root = {};
  std::string refused = {};

  void refuse(std::string why) {
    refused = std::move(why);
    XML_StopParser(parser, XML_FALSE);
  }
  void close() {
    XmlElement done = std::move(open.back());
    open.pop_back();
    if (open.empty())
      root = std::move(done);
    else
      open.back().children.push_back(std::move(done));
  }
};

void on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
  auto& builder = *static_cast<XmlBuilder*>(user);
  if (builder.open.size() >= kMostLevels)
    return builder.refuse(fmt::format("more than {} levels of elements", kMostLevels));
  XmlElement& element = builder.open.emplace_back();
  element.name = name;
  element.line = XML_GetCurrentLineNumber(builder.parser);
  for (; *attributes != nullptr; attributes += 2)
    element.attributes.emplace_back(attributes[0], attributes[1]);
}

void on_end(void* user, const XML_Char*) { static_cast<XmlBuilder*>(user)->close(); }

void on_text(void* user, const XML_Char* text, int length) {
  auto& builder = *static_cast<XmlBuilder*>(user);
  if (!builder.open.empty())
    builder.open.back().text.append(text, static_cast<std::size_t>(length));
}

void on_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  static_cast<XmlBuilder*>(user)->refuse("a document type is not read");
}

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return &value;
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& element : children)
    if (element.name == wanted) return &element;
  return nullptr;
}

std::optional<double> XmlElement::number(std::string_view wanted) const {
  const std::string* text_value = attribute(wanted);
  return text_value ? parse_number(*text_value) : std::nullopt;
}

Result<ReadXml> read_xml(std::string_view text, const std::string& name) {
  const std::unique_ptr<XML_ParserStruct, FreeParser> parser(XML_ParserCreate("UTF-8"));
  if (!parser) return fail("no memory for an XML parser", name);
  XmlBuilder builder{.parser = parser.get()};
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
  // kMostBytes fits an int.
  const auto status = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (status == XML_STATUS_OK && builder.root) return ReadXml{std::move(*builder.root), false};
  const auto code = XML_GetErrorCode(parser.get());
  const bool ended = code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
                     code == XML_ERROR_PARTIAL_CHAR || code == XML_ERROR_UNCLOSED_CDATA_SECTION;
  if (ended && builder.refused.empty() && !builder.open.empty()) {
    while (!builder.open.empty()) builder.close();
    return ReadXml{std::move(*builder.root), true};
  }
  const std::string what = builder.refused.empty() ? XML_ErrorString(code) : builder.refused;
  return fail(fmt::format("not XML that can be read: {}", what),
              fmt::format("{}:{}:{}", name, XML_GetCurrentLineNumber(parser.get()),
                          XML_GetCurrentColumnNumber(parser.get()) + 1));
}

}  // namespace assay::results
