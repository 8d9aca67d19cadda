import type { SpanDetailBody } from '../api/schema.gen';
import { readIfJson } from './blocks';
import { Conversation } from './conversation';
import { Documents } from './documents';
import { JsonTree } from './json-tree';

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

function Side({ title, value: given }: { title: string; value: unknown }) {
  const value = readIfJson(given);
  if (typeof value === 'string') {
    return <Conversation said={[{ role: title.toLowerCase(), blocks: [{ kind: 'text', text: value }] }]} />;
  }
  return (
    <section className="side-of-span" aria-label={title}>
      <h3>{title}</h3>
      <JsonTree value={value} open={1} />
    </section>
  );
}
