import { useQuery } from '@tanstack/react-query';
import { api, type AnswerOf } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ModelPriceBody } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { counted, dayOf, dollars } from '../ui/format';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';

const REPRICINGS = `${WORKSPACE}/repricings` as const;
const POLL_MS = 1000;

type Repricing = AnswerOf<`GET ${typeof WORKSPACE}/repricings`>['data'][number];
type Model = Pick<ModelPriceBody, 'provider' | 'model'>;

const isOpen = ({ status }: Repricing): boolean => status === 'queued' || status === 'running';

/** Begins to price stored calls of a model that have no price. */
export function usePricingOfPast(): (model: Model, values: FormValues) => Promise<void> {
  const path = useHere();
  const refresh = useRefresh('repricings');
  return async ({ provider, model }, values) => {
    const day = values.optional('since');
    // The day in the browser's time zone.
    const since = day === null ? null : new Date(`${day}T00:00`).toISOString();
    await api(`POST ${REPRICINGS}`, { path, body: { provider, model, since } });
    await refresh();
  };
}

export function SinceField() {
  return (
    <Field label="Calls since" hint="Default: all stored calls.">
      <input className="field" name="since" type="date" />
    </Field>
  );
}

/** Prices the past of a model whose price is set. */
export function PricePastCalls({ price, onClose }: { price: Model; onClose: () => void }) {
  const begin = usePricingOfPast();
  return (
    <FormDialog
      title={`Price past calls of ${price.model}`}
      submit="Apply prices"
      onSubmit={(values) => begin(price, values)}
      onClose={onClose}
    >
      <p>Stored calls without a price get this one, in requests, traces and all totals. Calls with a price keep it.</p>
      <SinceField />
    </FormDialog>
  );
}

/** Repricing jobs of past calls, newest first. */
export function PastCalls() {
  const path = useHere();
  const { data } = useQuery({
    queryKey: ['repricings'],
    queryFn: ({ signal }) => api(`GET ${REPRICINGS}`, { path, query: { limit: 10 }, signal }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) ? POLL_MS : false),
  });
  if (!data || data.data.length === 0) return null;
  return (
    <>
      <h3>Past calls</h3>
      <Table
        label="Past calls"
        rows={data.data}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Model', cell: ({ provider, model }) => `${provider}/${model}` },
          {
            name: 'Calls since',
            cell: ({ since }) => (since === null ? 'the first' : dayOf(new Date(since)) || 'today'),
          },
          { name: 'Begun', cell: ({ created_at }) => <Moment at={created_at} /> },
          { name: 'State', cell: (item) => <State item={item} /> },
        ]}
      />
    </>
  );
}

function State({ item }: { item: Repricing }) {
  const { status, dry_run: isDry, priced_count: priced, left_count: left, cost, error_message: error } = item;
  if (status === 'failed') return <span className="bad">failed: {error}</span>;
  const done = `${counted(priced, 'call')} ${isDry ? 'would be priced' : 'priced'}, ${dollars(cost)}`;
  const rest = left > 0 ? `; ${counted(left, 'call')} left: their tokens are not known` : '';
  return <span role="status">{isOpen(item) ? `running: ${done}` : `${done}${rest}`}</span>;
}
