import { endOfString } from './json-limits.js';

/** Fewer digits always fit a JavaScript number. */
const LONG = 16;

/** An integer token of that many digits that is no part of a fraction or of an exponent. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Quotes the integers of a valid JSON text that a JavaScript number cannot hold, so that JSON.parse returns their
 * digits as a string instead of rounding them. Text inside JSON strings is never changed.
 */
export function quoteLongIntegers(json: string): string {
  return outsideStrings(json, LONG, (part) => part.replace(LONG_INTEGER, quoteUnlessSafe));
}

/** Parses a JSON text with such integers as their digits. Throws SyntaxError. */
// oxlint-disable-next-line no-restricted-properties -- nothing is left to be rounded
export const parseExactly = (json: string): unknown => JSON.parse(quoteLongIntegers(json));

function quoteUnlessSafe(digits: string): string {
  return Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;
}

/** Rewrites the text between the strings of a JSON text, in pieces. Pieces shorter than `least` stay. */
export function outsideStrings(json: string, least: number, rewrite: (part: string) => string): string {
  const pieces: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < json.length) {
    const quote = json.indexOf('"', at);
    const open = quote < 0 ? json.length : quote;
    if (open - at >= least) {
      pieces.push(json.slice(copied, at), rewrite(json.slice(at, open)));
      copied = open;
    }
    at = endOfString(json, open) + 1;
  }
  pieces.push(json.slice(copied));
  return pieces.join('');
}
