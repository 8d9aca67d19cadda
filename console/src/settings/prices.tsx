import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ModelPriceBody } from '../api/schema.gen';
import { GuardedButton, useMay } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { useQueryOfUrl } from '../ui/address';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { dollars, UNKNOWN } from '../ui/format';
import { Table } from '../ui/table';
import { PastCalls, PricePastCalls, SinceField, usePricingOfPast } from './past-calls';
import { Section } from './section';

const RATES = {
  input: 'Input',
  output: 'Output',
  cached_input: 'Cached input',
  cache_write: 'Cache write',
} as const;
type Rate = keyof typeof RATES;
const FREE = 'Default: free.';
const AS_INPUT = 'Default: the input rate.';
const HINTS: Record<Rate, string> = { input: FREE, output: FREE, cached_input: AS_INPUT, cache_write: AS_INPUT };
type Open =
  { kind: 'edit'; price: Partial<ModelPriceBody> } | { kind: 'delete' | 'past'; price: ModelPriceBody } | null;

/** Prices of models in the workspace. A link may name the model that has no price yet: `?provider=…&model=…`. */
export function Prices() {
  const path = useHere();
  const given = useQueryOfUrl();
  const asked = { provider: given.get('provider') ?? undefined, model: given.get('model') ?? undefined };
  const may = useMay('ADMIN');
  const [open, setOpen] = useState<Open>(may && asked.model ? { kind: 'edit', price: asked } : null);
  return (
    <>
      <Section
        title="Model prices"
        about="In US dollars per million tokens, in place of the public price of a model. Requests are priced when they are stored; those without a price can be priced later."
        permission="ADMIN"
        to="see and set prices"
        queryKey={['model-prices']}
        read={(signal) => api(`GET ${WORKSPACE}/model-prices`, { path, signal })}
        actions={
          <GuardedButton
            permission="ADMIN"
            className="button primary"
            onClick={() => setOpen({ kind: 'edit', price: {} })}
          >
            Set a price
          </GuardedButton>
        }
      >
        {({ model_prices }) => (
          <>
            {model_prices.length === 0 ? (
              <p>No prices set. Models with a public price need none.</p>
            ) : (
              <PriceTable prices={model_prices} onOpen={setOpen} />
            )}
            <PastCalls />
            {open?.kind === 'edit' && (
              <SetPrice price={known(open.price, model_prices)} prices={model_prices} onClose={() => setOpen(null)} />
            )}
          </>
        )}
      </Section>
      {open?.kind === 'delete' && <DeletePrice price={open.price} onClose={() => setOpen(null)} />}
      {open?.kind === 'past' && <PricePastCalls price={open.price} onClose={() => setOpen(null)} />}
    </>
  );
}

type Asked = Pick<Partial<ModelPriceBody>, 'provider' | 'model'>;

/** The server compares names in lower case. */
const keyOf = ({ provider = '', model = '' }: Asked): string => [provider, model].join('\n').toLowerCase();

const priceOf = (asked: Asked, prices: ModelPriceBody[]): ModelPriceBody | undefined =>
  prices.find((price) => keyOf(price) === keyOf(asked));

/** The stored price of the model that a link names, so that saving does not remove its other fields. */
const known = (asked: Partial<ModelPriceBody>, prices: ModelPriceBody[]): Partial<ModelPriceBody> =>
  priceOf(asked, prices) ?? asked;

function PriceTable({ prices, onOpen }: { prices: ModelPriceBody[]; onOpen: (open: Open) => void }) {
  return (
    <Table
      label="Model prices"
      rows={prices}
      keyOf={({ provider, model }) => `${provider} ${model}`}
      columns={[
        { name: 'Provider', cell: ({ provider }) => provider },
        {
          name: 'Model',
          cell: ({ model, has_public_price }) => (
            <>
              {model}
              {has_public_price && (
                <div className="quiet-text">has a public price, which fills in the rates that are not set</div>
              )}
            </>
          ),
        },
        ...Object.entries(RATES).map(([rate, name]) => ({
          name,
          className: 'number',
          cell: (price: ModelPriceBody) => {
            const value = price[rate as Rate];
            return value === null || value === undefined ? UNKNOWN : dollars(value);
          },
        })),
        {
          name: '',
          className: 'buttons',
          cell: (price) => (
            <>
              {!price.has_public_price && (
                <button className="button" onClick={() => onOpen({ kind: 'past', price })}>
                  Price past calls
                </button>
              )}
              <button className="button" onClick={() => onOpen({ kind: 'edit', price })}>
                Change
              </button>
              <button className="button" onClick={() => onOpen({ kind: 'delete', price })}>
                Delete
              </button>
            </>
          ),
        },
      ]}
    />
  );
}

interface SetProps {
  price: Partial<ModelPriceBody>;
  /** All prices that are set. */
  prices: ModelPriceBody[];
  onClose: () => void;
}

function SetPrice({ price, prices, onClose }: SetProps) {
  const path = useHere();
  const refresh = useRefresh('model-prices');
  const pricePast = usePricingOfPast();
  // Also after the price was saved and the past was not: saving again prices the past.
  const [isNew] = useState(price.updated_at === undefined);
  const [saved, setSaved] = useState<Asked | null>(null);
  const save = async (values: FormValues) => {
    const rates = Object.keys(RATES).map((rate) => [rate, values.number(rate)]);
    const body = {
      provider: values.text('provider'),
      model: values.text('model'),
      ...(Object.fromEntries(rates) as Record<Rate, number | null>),
    };
    const mayReplace = !isNew || (saved !== null && keyOf(saved) === keyOf(body));
    if (!mayReplace && priceOf(body, prices)) {
      throw new Error(`${body.model} of ${body.provider} already has a price. Choose “Change” in its row.`);
    }
    const { model_price: stored } = await api(`PUT ${WORKSPACE}/model-prices`, { path, body });
    setSaved(stored);
    await refresh();
    // Calls of a model with a public price were priced when they were stored.
    if (values.text('past') !== '' && !stored.has_public_price) await pricePast(stored, values);
  };
  return (
    <FormDialog title="Price of a model" submit="Save" onSubmit={save} onClose={onClose}>
      <Field label="Provider" hint="The name in requests, such as openai or ollama." isRequired>
        <input className="field" name="provider" required maxLength={100} data-first="" defaultValue={price.provider} />
      </Field>
      <Field label="Model" isRequired>
        <input className="field" name="model" required maxLength={255} defaultValue={price.model} />
      </Field>
      <div className="columns">
        {Object.entries(RATES).map(([rate, name]) => (
          <Field key={rate} label={`${name}, $ per million tokens`} hint={HINTS[rate as Rate]}>
            <input
              className="field"
              name={rate}
              type="number"
              min={0}
              step="any"
              defaultValue={price[rate as Rate] ?? ''}
            />
          </Field>
        ))}
      </div>
      {isNew && (
        <>
          <label className="tick">
            <input type="checkbox" name="past" defaultChecked />
            Also price past calls that have no price
          </label>
          <SinceField />
        </>
      )}
    </FormDialog>
  );
}

function DeletePrice({ price, onClose }: { price: ModelPriceBody; onClose: () => void }) {
  const path = useHere();
  const refresh = useRefresh('model-prices');
  const { provider, model } = price;
  const remove = async () => {
    await api(`DELETE ${WORKSPACE}/model-prices`, { path, query: { provider, model } });
    await refresh();
  };
  return (
    <FormDialog title={`Delete the price of ${model}?`} submit="Delete" isDangerous onSubmit={remove} onClose={onClose}>
      <p>New requests are priced without it.</p>
    </FormDialog>
  );
}
