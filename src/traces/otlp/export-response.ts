/** Answer to an export request: how many items were rejected, and why. */
export interface PartialSuccess {
  rejected: number;
  errorMessage: string;
}

/**
 * The answer to an export in protobuf; full success is the empty message. All signals have the same one:
 * ExportPartialSuccess { int64 rejected = 1; string error_message = 2 }
 */
export function encodeResponse({ rejected, errorMessage }: PartialSuccess): Buffer {
  if (rejected === 0 && errorMessage === '') return Buffer.alloc(0);
  const message = Buffer.from(errorMessage, 'utf8');
  const inner = Buffer.concat([bytes(0x08), varint(rejected), bytes(0x12), varint(message.length), message]);
  return Buffer.concat([bytes(0x0a), varint(inner.length), inner]);
}

function bytes(...values: number[]): Buffer {
  return Buffer.from(values);
}

function varint(value: number): Buffer {
  const parts: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...parts, rest]);
    parts.push((rest % 128) | 0x80);
  }
}
