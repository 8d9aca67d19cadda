/** What an export request is answered with: nothing on full success, otherwise how many spans were refused and why. */
export interface PartialSuccess {
  rejectedSpans: number;
  errorMessage: string;
}

/** ExportTraceServiceResponse in protobuf; full success is the empty message. */
export function encodeResponse(partial: PartialSuccess | null): Buffer {
  if (!partial) return Buffer.alloc(0);
  const message = Buffer.from(partial.errorMessage, 'utf8');
  // ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2 }
  const inner = Buffer.concat([
    bytes(0x08),
    varint(partial.rejectedSpans),
    bytes(0x12),
    varint(message.length),
    message,
  ]);
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
