import { lazy, Suspense } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { type Block, readIfJson } from './blocks';
import { Image } from './image';
import { JsonTree } from './json-tree';
import { LongText } from './long-text';

const Markdown = lazy(() => import('./markdown'));

export type View = 'text' | 'markdown';

interface Props {
  block: Block;
  view: View;
}

/** A part of a message. */
export function BlockView({ block, view }: Props) {
  switch (block.kind) {
    case 'text':
      return <TextBlock text={block.text} view={view} />;
    case 'code':
      return (
        <pre dir="auto" className="text mono">
          {block.text}
        </pre>
      );
    case 'thinking':
      return (
        <details className="thinking">
          <summary>thought</summary>
          <LongText text={block.text} />
        </details>
      );
    case 'image':
      return <Image url={block.url} />;
    case 'file':
      return <p className="quiet-text">{block.title}</p>;
    case 'call':
      return <Call block={block} view={view} />;
    case 'result':
      return <Blocks blocks={block.blocks} view={view} />;
    case 'data':
      return <JsonTree name={block.title} value={block.value} />;
  }
}

export function Blocks({ blocks, view }: { blocks: readonly Block[]; view: View }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} view={view} />);
}

function TextBlock({ text, view }: { text: string; view: View }) {
  const value = readIfJson(text);
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} open={1} />;
  if (view === 'text') return <LongText text={text} />;
  return (
    <ErrorBoundary fallback={<LongText text={text} />}>
      <Suspense fallback={<LongText text={text} />}>
        <Markdown text={text} />
      </Suspense>
    </ErrorBoundary>
  );
}

/** A call beside its result. */
function Call({ block: { name, input, result }, view }: { block: Extract<Block, { kind: 'call' }>; view: View }) {
  return (
    <dl className="tool-call">
      <div>
        <dt>call</dt>
        <dd>
          <JsonTree name={name} value={readIfJson(input)} />
        </dd>
      </div>
      {result !== null && (
        <div>
          <dt>result</dt>
          <dd>
            {result.map((block, index) => (
              <Result key={index} block={block} view={view} />
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** JSON of a tool is shown in one line until it is opened. */
function Result({ block, view }: Props) {
  const value = block.kind === 'text' ? readIfJson(block.text) : null;
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} />;
  return <BlockView block={block} view={view} />;
}
