import type { JsonObject, JsonValue } from '../../../platform/json.js';
import type { AnswerEnd } from '../../shared/answer-end.js';
import type { Prompt } from '../../shared/blueprint.js';
import type { TokenUsage } from '../../shared/token-usage.js';

/** A call as the client of a vendor made it: the function, its arguments, and the response. */
export interface NativeCall {
  /** Name as reported, for example `openai.chat.completions.create`. */
  functionName: string;
  /** Name as reported, for example `openai.azure`; custom clients have names of their own. */
  provider: string;
  /** The arguments by name. */
  request: JsonObject;
  /** The arguments without a name. */
  positional: JsonValue[];
  /** An object, a list of chunks, a text, or null when the call failed. */
  response: JsonValue;
}

/** A native call in the vocabulary of prompts. */
export interface NativeReading {
  /** null when unknown. */
  model: string | null;
  /** The model that answered, as the response names it; null when it names none. */
  answeredBy: string | null;
  apiType: string | null;
  input: Prompt;
  output: Prompt;
  /** The arguments that are neither the model nor messages nor tools. */
  parameters: JsonObject;
  usage: TokenUsage;
  /** US dollars that the response reports; null when it reports none. */
  price: number | null;
  end: AnswerEnd;
  /** True when the input contains the arguments without a name. */
  readsPositional: boolean;
  /** True when the response is not a readable answer: it must be kept unchanged. */
  responseUnknown: boolean;
}

/** The part of a reading that depends on the format. */
export type FormatReading = Omit<NativeReading, 'end'>;

/** A format in which vendors write calls. Several vendors may share it. */
export interface VendorFormat {
  /** Whether the call is in this format. The first format that returns true reads it. */
  reads(call: NativeCall): boolean;
  read(call: NativeCall): FormatReading;
  /** Whether a chunk alone, without its call, belongs to an answer that is streamed in this format. */
  streams?(chunk: JsonObject): boolean;
  /** How answers are read while they are streamed. */
  stream?: StreamFormat;
}

/** A part of an answer that is being written. */
export interface StreamPiece {
  /** Added text; empty for a piece of a thought, of a tool call or of anything else that is no text. */
  text: string;
}

export interface StreamFormat {
  reads(chunk: JsonObject): boolean;
  /** null for a chunk with nothing that the model has written. Of several answers only the first counts. */
  piece(chunk: JsonObject): StreamPiece | null;
  /** Whether the chunk ends the answer. */
  ends(chunk: JsonObject): boolean;
  /** Whether the chunk only repeats others: such chunks are not kept. */
  repeats?(chunk: JsonObject): boolean;
}
