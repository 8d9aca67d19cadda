import * as is from 'class-validator';
import { field, type FieldOptions } from './field.js';
import { LargeText } from './large-text.js';

/** Digits decoded together; a multiple of four. */
const PIECE = 1024 * 1024;
const DIGITS = /^[A-Za-z0-9+/]+={0,2}$/;

/** A text that is not base64. */
export class Base64Failure extends Error {}

/** A base64 text of a body. */
export type Base64Text = string | LargeText;

/** A base64 text. It is not decoded, and may be a LargeText: see `decodeBase64`. */
export function Base64Field(options: FieldOptions & { minLength?: number } = {}): PropertyDecorator {
  const { minLength = 0 } = options;
  const refusal = { message: 'Input should be a valid string', context: { type: 'string_type' } };
  const tooShort = {
    message: `String should have at least ${minLength} character(s)`,
    context: { type: 'string_too_short' },
  };
  const isLong = (value: unknown) => isBase64Text(value) && sizeOf(value) >= minLength;
  return field(options, {
    validators: [
      is.ValidateBy({ name: 'base64Text', validator: { validate: isBase64Text } }, refusal),
      is.ValidateBy({ name: 'base64Length', validator: { validate: isLong } }, tooShort),
    ],
    schema: { type: 'string', format: 'byte', ...(minLength > 0 && { minLength }) },
  });
}

export function isBase64Text(value: unknown): value is Base64Text {
  return typeof value === 'string' || value instanceof LargeText;
}

/** At least as many bytes as the text decodes to. */
export function decodedLength(text: Base64Text): number {
  return Math.ceil((sizeOf(text) / 4) * 3);
}

/** The bytes, a piece at a time. Skips line breaks and blanks. Throws a Base64Failure. */
export function* decodeBase64(text: Base64Text): Generator<Buffer> {
  let rest = '';
  let ended = false;
  for (let at = 0; at < sizeOf(text); at += PIECE) {
    const digits = rest + slice(text, at).replace(/\s+/g, '');
    const whole = digits.slice(0, digits.length - (digits.length % 4));
    rest = digits.slice(whole.length);
    if (whole === '') continue;
    if (ended || !DIGITS.test(whole)) throw new Base64Failure();
    ended = whole.endsWith('=');
    yield Buffer.from(whole, 'base64');
  }
  if (rest !== '') throw new Base64Failure();
}

function sizeOf(text: Base64Text): number {
  return typeof text === 'string' ? text.length : text.bytes.length;
}

function slice(text: Base64Text, at: number): string {
  return typeof text === 'string' ? text.slice(at, at + PIECE) : text.bytes.toString('latin1', at, at + PIECE);
}
