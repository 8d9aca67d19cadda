const HEADLESS = /^(?:what(?:ever)?|who(?:ever)?|those|of|as|so (?:few|long|many|much|short|soon))\b/i;
const HOUSE_WORDS =
  /\b(?:(?:door)?bells?|doors?|away|lanes?|asides?|portions?|whoever|tells?|told|telling|hears?|heard|feels?|forgets?|anew)\b/i;

const QUOTED = String.raw`(?<quote>['"\x60])(?<text>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>`;
const TEXTS = [
  /^[ \t]*\/\*\*(?<text>[^]*?)\*\//gm,
  /^[ \t]*\/\/(?<text>.*(?:\n[ \t]*\/\/.*)*)/gm,
  new RegExp(String.raw`\b(?:description|summary):\s*${QUOTED}`, 'g'),
  new RegExp(String.raw`^[ \t]*(?:(?:it|test)\b.*?|\]\))\(\s*${QUOTED},`, 'gm'),
];

/**
 * Comments, descriptions in the API document and test titles that have to be read twice: they begin with a clause without a head
 * ("What …", "Of …"), or contain a house word in place of the field's term. Names in backticks are not checked.
 * @returns one line for each text
 */
export function readTwice(file, code) {
  return TEXTS.flatMap((pattern) => [...code.matchAll(pattern)]).flatMap(({ index, groups }) => {
    const text = groups.text.replace(/^[ \t]*(?:\*|\/\/)+/gm, '').replace(/`[^`]*`/g, '``');
    const words = text.trim().match(HEADLESS) ?? text.match(HOUSE_WORDS);
    const line = code.slice(0, index).split('\n').length;
    return words ? [`${file}:${line} has to be read twice: "${words[0]}"`] : [];
  });
}
