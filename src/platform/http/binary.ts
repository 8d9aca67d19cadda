/** A body of bytes, for the document. */
export const BINARY = { schema: { type: 'string', format: 'binary' } } as const;
