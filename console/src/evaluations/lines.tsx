import type { SideBySideLineBody, SideBySideRowBody, SideBySideRunBody } from '../api/schema.gen';
import { cellLine } from '../sheet/cell-line';
import { count, counted, dollars, duration } from '../ui/format';
import { VerdictText } from './differences';
import { letterOf } from './runs-data';
import { scoreText } from './verdict';
import { WordDiff } from './word-diff';

/** Maximum characters of a cell in the list. */
const SHOWN = 600;
/** Number of input columns in the list. */
const FIRST = 3;

interface Props {
  runs: SideBySideRunBody[];
  lines: SideBySideLineBody[];
  /** Opens a cell for reading: its run, row and column, as the URL has it. */
  onRead: (read: string) => void;
}

/** Inputs beside the outputs of every run, with verdicts and reasons. */
export function Lines({ runs, lines, onRead }: Props) {
  return (
    <div className="table-scroll" role="region" aria-label="Rows" tabIndex={0}>
      <table className="table run-lines" aria-label="Rows">
        <thead>
          <tr>
            <th scope="col" className="number">
              Row
            </th>
            <th scope="col">Given</th>
            {runs.map((run, place) => (
              <th key={run.calculation_id} scope="col">
                {runs.length === 1 ? 'Output and scores' : `Run ${letterOf(place)}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ runs: found }) => {
            const first = found[0]!;
            return (
              <tr key={first.row_index}>
                <td className="number">{count(first.row_index + 1)}</td>
                <td>
                  <Given run={runs[0]!} row={first} onRead={(read) => onRead(`0.${read}`)} />
                </td>
                {runs.map((run, place) => (
                  <td key={run.calculation_id}>
                    {found[place] ? (
                      <Outcome
                        run={run}
                        row={found[place]}
                        base={place === 0 ? null : outputsOf(runs[0]!, first)}
                        onRead={(read) => onRead(`${place}.${read}`)}
                      />
                    ) : (
                      <span className="quiet-text">Not in this run</span>
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Columns that outputs and scorers read, or else the first ones; the others are opened on request. */
function Given({ run, row, onRead }: Omit<CellProps, 'place' | 'before'>) {
  const places = placesOf(run, ['input', 'computed']).filter((place) => row.cells[place]!.text !== null);
  const isRead = (place: number) => run.columns[place]!.is_read;
  const ordered = [...places.filter(isRead), ...places.filter((place) => !isRead(place))];
  const shown = Math.max(FIRST, places.filter(isRead).length);
  const cellAt = (place: number) => <Cell key={place} {...{ run, row, place, onRead }} />;
  const rest = ordered.slice(shown);
  return (
    <>
      {ordered.slice(0, shown).map(cellAt)}
      {rest.length > 0 && (
        <details>
          <summary>{counted(rest.length, 'more column')}</summary>
          {rest.map(cellAt)}
        </details>
      )}
    </>
  );
}

const placesOf = ({ columns }: SideBySideRunBody, roles: string[]): number[] =>
  columns.flatMap(({ role }, place) => (roles.includes(role) ? [place] : []));

/** The outputs of a row by the titles of their columns. */
const outputsOf = (run: SideBySideRunBody, row: SideBySideRowBody): Map<string, string> =>
  new Map(placesOf(run, ['output']).map((place) => [run.columns[place]!.title, row.cells[place]!.text ?? '']));

interface OutcomeProps {
  run: SideBySideRunBody;
  row: SideBySideRowBody;
  /** The text of the first run; null for the first one. */
  base: Map<string, string> | null;
  onRead: (read: string) => void;
}

function Outcome({ run, row, base, onRead }: OutcomeProps) {
  const outputs = placesOf(run, ['output']);
  const facts = [
    scoreText(row.score, true),
    ...(row.cost === null ? [] : [dollars(row.cost)]),
    ...(row.latency_ms === null ? [] : [duration(row.latency_ms)]),
  ];
  return (
    <>
      {outputs.map((place) => (
        <Cell key={place} {...{ run, row, place, onRead }} before={base?.get(run.columns[place]!.title)} />
      ))}
      <p>
        <VerdictText verdict={row.verdict} /> <span className="quiet-text">{facts.join(' · ')}</span>
      </p>
      <ul className="step-results" aria-label="Scores">
        {row.steps.map(({ verdict, score, reason }, at) => (
          <li key={run.steps[at]!.id}>
            <bdi>{run.steps[at]!.title}</bdi>
            {': '}
            <VerdictText verdict={verdict} />
            {score !== null && score > 0 && score < 1 && ` ${scoreText(score, true)}`}
            {reason && (
              <span dir="auto" className="quiet-text breaks">
                {` ${reason.slice(0, SHOWN)}`}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface CellProps {
  run: SideBySideRunBody;
  row: SideBySideRowBody;
  place: number;
  before?: string;
  onRead: (read: string) => void;
}

/**
 * The text of a cell in the list: a conversation as one line, any other text cut. Two texts that are compared are not
 * cut.
 */
function beginningOf(text: string, isCompared: boolean): { shown: string; hasMore: boolean } {
  const line = !isCompared && /^\[\s*\{/.test(text) ? cellLine(text) : text;
  const shown = line.slice(0, SHOWN);
  return { shown, hasMore: shown !== text };
}

function Cell({ run, row, place, before, onRead }: CellProps) {
  const { text, error, is_truncated: isCut } = row.cells[place]!;
  const { title } = run.columns[place]!;
  if (text === null && error === null) return null;
  const { shown, hasMore } = beginningOf(text ?? '', before !== undefined);
  return (
    <div className="run-cell">
      <span className="quiet-text">
        <bdi>{title}</bdi>
      </span>
      {error !== null && (
        <span dir="auto" className="bad breaks">
          {error}
        </span>
      )}
      <pre dir="auto" className="text">
        {before === undefined ? shown : <WordDiff before={before.slice(0, SHOWN)} after={shown} />}
      </pre>
      {(isCut || hasMore) && (
        <button
          className="button"
          aria-label={`Read all: ${title}, row ${row.row_index + 1}`}
          onClick={() => onRead(`${row.row_index}.${place}`)}
        >
          Read all
        </button>
      )}
    </div>
  );
}
