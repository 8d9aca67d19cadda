import { type ReactNode, useRef } from 'react';
import { count, counted } from './format';
import { useKeys } from './keys';
import { Note } from './parts';
import { SearchField } from './search-field';
import { useTitle } from './title';

interface HeadProps {
  /** Title of the screen: the listed items, in the plural. */
  title: string;
  placeholder: string;
  q: string;
  onSearch: (q: string) => void;
  children?: ReactNode;
}

/** The head of a screen with a list. `/` leads to the search, and an arrow key or Enter from there to the list. */
export function ListScreenHead({ title, placeholder, q, onSearch, children }: HeadProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.select() });
  useTitle(title);
  return (
    <header className="screen-head">
      <h1>{title}</h1>
      <SearchField
        label={`Search ${title.toLowerCase()}`}
        placeholder={`${placeholder} (press /)`}
        field={field}
        value={q}
        onChange={onSearch}
        onKeyDown={({ key }) => {
          if (key === 'ArrowDown' || key === 'Enter') document.querySelector<HTMLElement>('[role=grid]')?.focus();
        }}
      />
      {children}
    </header>
  );
}

/** Reads the list again. Shows the number of new items if it is known. */
export function Refresh({ news = 0, onRefresh }: { news?: number; onRefresh: () => void }) {
  return (
    <button type="button" className={news > 0 ? 'button primary' : 'button'} aria-live="polite" onClick={onRefresh}>
      {news > 0 ? `${count(news)} new` : 'Refresh'}
    </button>
  );
}

/** Conditions as chips, each of which can be removed. */
export function Chips<T>(props: { chips: { text: string; without: T }[]; onRemove: (without: T) => void }) {
  const { chips, onRemove } = props;
  if (chips.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filters">
      {chips.map(({ text, without }) => (
        <li key={text}>
          <button
            type="button"
            className="button"
            aria-label={`Without: ${text}`}
            title={text}
            onClick={() => onRemove(without)}
          >
            <span className="ellipsis">{text}</span>
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface NothingProps {
  /** In the singular. */
  what: string;
  /** Descriptions of the filters, such as “the label x”. */
  filters: string[];
  onClear: () => void;
}

/** Replaces a list that is empty because of its filters. */
export function NothingLike({ what, filters, onClear }: NothingProps) {
  return (
    <Note title={`No ${what} matches`} action={{ label: `Show all ${what}s`, act: onClear }}>
      <p>{`The list shows only ${what}s with ${filters.join(', ')}.`}</p>
    </Note>
  );
}

interface PagesProps {
  page: number;
  pages: number;
  total: number;
  /** In the singular. */
  what: string;
  onPage: (page: number) => void;
}

/** Number of items, and links to the other pages. */
export function Pages({ page, pages, total, what, onPage }: PagesProps) {
  const all = counted(total, what);
  if (pages <= 1) return <p className="quiet-text">{all}</p>;
  return (
    <div className="actions">
      <button type="button" className="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span>{`Page ${page} of ${pages}, ${all}`}</span>
      <button type="button" className="button" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </div>
  );
}
