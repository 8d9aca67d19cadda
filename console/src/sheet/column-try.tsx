import { useQuery } from '@tanstack/react-query';
import type { GridRowsResponse, OperationPlanResponse, PreviewColumnResponse } from '../api/schema.gen';
import { api, sentenceOf } from '../api/client';
import { count, counted, dollars, duration, oneLine } from '../ui/format';
import { Waiting } from '../ui/parts';
import { cellLine } from './cell-line';
import { judgementsOf } from './judgements';
import { SHEET, useSheet } from './sheet-data';
import type { ColumnTrial } from './use-column-trial';

/** Number of rows of a preview. */
export const TRIED = 3;

/** A preview of the first rows of a new column, and the cost of all rows. */
export function ColumnTry({ trial, source, output }: { trial: ColumnTrial; source: string | null; output: string }) {
  const { plan, rows, isWaiting, isComputed } = trial;
  const samples = useSamples(source);
  if (!isComputed) return <aside className="column-try" aria-label="Try" />;
  return (
    <aside className="column-try" aria-label="Try">
      <header>
        <h2>Try on three rows</h2>
        <span className="spacer" />
        {rows && <span className="quiet-text">{spent(rows)}</span>}
        {trial.canTry && (
          <button type="button" className="button" disabled={isWaiting} onClick={() => trial.start()}>
            {rows ? 'Again' : `Try on three rows${priceOf(plan, TRIED)}`}
          </button>
        )}
      </header>
      <Waiting on={isWaiting} />
      <Hint trial={trial} />
      <ul aria-label="Tried rows">
        {rows?.map((row) => (
          <li key={row.row_index} className="box">
            <span className="quiet-text">{`Row ${count(row.row_index + 1)}`}</span>
            {samples.has(row.row_index) && (
              <span dir="auto" className="ellipsis">
                {oneLine(samples.get(row.row_index) ?? '')}
              </span>
            )}
            <Result row={row} output={output} />
          </li>
        ))}
      </ul>
      {plan && <AllRows plan={plan} />}
    </aside>
  );
}

/** The reason why there are no rows yet. */
function Hint({ trial: { plan, rows, error, isWaiting, needsClick } }: { trial: ColumnTrial }) {
  if (error) {
    return (
      <p role="status" className="quiet-text breaks">
        {sentenceOf(error)}
      </p>
    );
  }
  if (!plan) return isWaiting ? null : <p className="quiet-text">Complete the form to see a preview.</p>;
  if (rows || !needsClick) return null;
  return <p className="quiet-text">Models and services are called only when you try the column.</p>;
}

function Result({ row, output }: { row: PreviewColumnResponse['rows'][number]; output: string }) {
  if (row.status === 'stale') return <span className="quiet-text">A cell that it reads is stale.</span>;
  if (row.status === 'error') {
    return (
      <span dir="auto" className="bad breaks">
        {row.error_message}
      </span>
    );
  }
  const judgements = judgementsOf(row.value);
  if (judgements.length === 0) {
    return (
      <strong dir="auto" className="ellipsis">
        {cellLine(row.text, output) || 'empty'}
      </strong>
    );
  }
  return judgements.map(([question, { value, reasoning }]) => (
    <span key={question} dir="auto" className="breaks" title={question}>
      <strong className={value ? 'good' : 'bad'}>{value ? '✓ yes' : '✗ no'}</strong> {reasoning}
    </span>
  ));
}

/** Values of the source column in the first rows. */
function useSamples(source: string | null): ReadonlyMap<number, string | null> {
  const { path } = useSheet();
  const { data } = useQuery({
    queryKey: ['sheet', path, 'samples', source],
    queryFn: async ({ signal }) => {
      const query = { view: 'grid' as const, limit: TRIED, columns: source!, include_columns: false };
      return (await api(`GET ${SHEET}/rows`, { path, query, signal })) as GridRowsResponse;
    },
    enabled: source !== null,
  });
  return new Map((data?.data ?? []).map(({ row_index: index, texts }) => [index, texts[0] ?? null]));
}

const isFree = ({ columns }: OperationPlanResponse): boolean =>
  columns.every(({ estimated_from: source }) => source === null);

/** ` · about $0.31` for `cells` of the planned cells. Empty when it is free or unknown. */
export function priceOf(plan: OperationPlanResponse | undefined, cells?: number): string {
  if (!plan || isFree(plan) || plan.cost_with_reuse === null || plan.cell_count === 0) return '';
  const share = cells === undefined ? 1 : Math.min(1, cells / plan.cell_count);
  return ` · about ${dollars(plan.cost_with_reuse * share)}`;
}

function spent(rows: PreviewColumnResponse['rows']): string {
  const known = rows.flatMap(({ cost }) => cost ?? []);
  return known.length === 0 ? '' : dollars(known.reduce((sum, cost) => sum + cost, 0));
}

/** Shows the same plan as a recalculation. */
function AllRows({ plan }: { plan: OperationPlanResponse }) {
  const { cell_count: cells, input_tokens: input, output_tokens: output, seconds, reusable_cell_count: known } = plan;
  const facts = [
    counted(cells, 'row'),
    ...(input ? [`${count(input)} tokens in, ${count(output)} out`] : []),
    isFree(plan) ? 'costs nothing' : plan.cost === null ? 'no price is known' : `at most ${dollars(plan.cost)}`,
    ...(seconds === null ? [] : [duration(seconds * 1000)]),
  ];
  return (
    <footer className="quiet-text">
      <p>{facts.join(' · ')}</p>
      {known > 0 && <p>{`${counted(known, 'row')} have known results, which are reused.`}</p>}
    </footer>
  );
}
