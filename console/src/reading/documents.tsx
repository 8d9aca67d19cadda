import { useState } from 'react';
import type { DocumentBody } from '../api/schema.gen';
import { JsonTree } from './json-tree';
import { LongText } from './long-text';

/** Documents that are shown at first. */
const FIRST = 5;
const LONGEST_TITLE = 120;
/** Members of metadata that name a document. */
const NAMES = ['title', 'name', 'source', 'file_name', 'url'];

/** The documents that a retrieval found, with their scores; each opens to its text. */
export function Documents({ documents }: { documents: readonly DocumentBody[] }) {
  const [isAll, showAll] = useState(false);
  const shown = isAll ? documents : documents.slice(0, FIRST);
  return (
    <section className="documents" aria-label="Documents">
      {shown.map((document, index) => (
        <details key={index} className="box">
          <summary>
            <span dir="auto" className="ellipsis">
              {titleOf(document)}
            </span>
            <span className="quiet-text">{document.score === null ? '' : scoreText(document.score)}</span>
          </summary>
          {document.content === null ? (
            <p className="quiet-text">The span has no text of it.</p>
          ) : (
            <LongText text={document.content} />
          )}
          {Object.keys(document.metadata).length > 0 && <JsonTree name="metadata" value={document.metadata} />}
        </details>
      ))}
      {documents.length > shown.length && (
        <button className="button" onClick={() => showAll(true)}>
          Show {documents.length - shown.length} more
        </button>
      )}
    </section>
  );
}

function titleOf({ id, content, metadata }: DocumentBody): string {
  const name = NAMES.map((key) => metadata[key]).find((value) => typeof value === 'string' && value !== '');
  const [line] = (content ?? '').trim().split('\n');
  return [name, line, id].map((text) => String(text ?? '').slice(0, LONGEST_TITLE)).find((text) => text !== '') ?? '–';
}

const scoreText = (score: number): string => String(Number(score.toPrecision(3)));
