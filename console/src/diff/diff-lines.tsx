import './diff.css';
import type { DiffLine } from './diff';

const SIGNS = { same: ' ', added: '+', removed: '-' };
const WORDS = { same: '', added: 'added: ', removed: 'removed: ' };

/** Lines with their signs, as text for readers of screens too. */
export function DiffLines({ lines }: { lines: DiffLine[] }) {
  return (
    <pre className="diff box" aria-label="Difference" role="group">
      {lines.map(({ kind, text }, at) => (
        <span key={at} className={kind}>
          <span className="visually-hidden">{WORDS[kind]}</span>
          <span aria-hidden="true">{SIGNS[kind]} </span>
          <bdi>{text}</bdi>
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
