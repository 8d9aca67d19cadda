import './reading.css';
import { readIfJson, type Said } from './blocks';
import { Conversation } from './conversation';
import { JsonTree } from './json-tree';

/** An input or an output: a text, or JSON as a tree. */
export function Side({ title, value: given }: { title: string; value: unknown }) {
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

/** Several values one after the other, each under its title. */
export function Sides({ values }: { values: readonly (readonly [title: string, value: unknown])[] }) {
  if (values.length === 0) return null;
  const said = values.map(([role, value]): Said => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return { role, blocks: [{ kind: 'text', text }] };
  });
  return <Conversation said={said} />;
}
