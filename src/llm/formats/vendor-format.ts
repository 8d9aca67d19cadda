import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { AnswerEnd } from '../answer-end.js';
import type { Prompt } from '../blueprint.js';
import type { TokenUsage } from '../token-usage.js';

/** A call as the client of a vendor made it: the function, its arguments, and what came back. */
export interface NativeCall {
  /** As reported, for example `openai.chat.completions.create`. */
  functionName: string;
  /** As reported, for example `openai.azure`; custom clients have names of their own. */
  provider: string;
  /** The arguments by name. */
  request: JsonObject;
  /** The arguments without a name. */
  positional: JsonValue[];
  /** An object, a list of chunks, a text, or null when the call failed. */
  response: JsonValue;
}

/** What such a call says in the vocabulary of prompts. */
export interface NativeReading {
  /** null when nothing tells. */
  model: string | null;
  /** The model that answered, in the words of the response; null when it does not tell. */
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
  /** True when the arguments without a name are told by the input. */
  tellsPositional: boolean;
  /** True when the response is no answer that could be read: it must be kept as it came. */
  responseUnknown: boolean;
}

/** The part of a reading that is particular to a format. */
export type FormatReading = Omit<NativeReading, 'end'>;

/** One way in which vendors write calls. Several vendors may share it. */
export interface VendorFormat {
  /** Whether the call is written like this. The first format that says yes reads it. */
  reads(call: NativeCall): boolean;
  read(call: NativeCall): FormatReading;
  /** Whether a chunk alone, without its call, is one of an answer that is streamed like this. */
  streams?(chunk: JsonObject): boolean;
  /** How answers are read while they are streamed. */
  stream?: StreamFormat;
}

/** A part of an answer that is being written. */
export interface StreamPiece {
  /** What it adds to the text; empty for a piece of a thought, of a tool call or of anything else that is no text. */
  text: string;
}

export interface StreamFormat {
  reads(chunk: JsonObject): boolean;
  /** null for a chunk with nothing that the model has written. Of several answers only the first counts. */
  piece(chunk: JsonObject): StreamPiece | null;
  /** Whether the chunk says that the answer has ended. */
  ends(chunk: JsonObject): boolean;
  /** Chunks that repeat what others say: they are not kept. */
  repeats?(chunk: JsonObject): boolean;
}
