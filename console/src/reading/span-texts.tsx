import type { SpanDetailBody } from '../api/schema.gen';
import { Documents } from './documents';
import { Side } from './side';

/** The input and the output of a span that is no model call: of a tool, a retrieval, an agent. */
export function SpanTexts({ span: { input, output, documents } }: { span: SpanDetailBody }) {
  const isRead = documents !== null;
  return (
    <>
      {input !== null && <Side title="Input" value={input} />}
      {documents !== null && <Documents documents={documents} />}
      {output !== null && !isRead && <Side title="Output" value={output} />}
    </>
  );
}
