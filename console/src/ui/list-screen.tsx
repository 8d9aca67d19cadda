import { type ReactNode, useRef } from 'react';
import { count, counted } from './format';
import { useKeys } from './keys';
import { Note } from './parts';
import { SearchField } from './search-field';
import { useTitle } from './title';

interface HeadProps {
  /** Of the screen: what is listed, in the plural. */
  title: string;
  placeholder: string;
  q: string;
  onSearch: (q: string) => void;
  children?: ReactNode;
}

/** The head of a screen with a list: `/` leads to the search, and an arrow or Enter from there to the list. */
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

/** Reads the list again; says how much is new where that is known. */
export function Refresh({ news = 0, onRefresh }: { news?: number; onRefresh: () => void }) {
  return (
    <button className={news > 0 ? 'button primary' : 'button'} aria-live="polite" onClick={onRefresh}>
      {news > 0 ? `${count(news)} new` : 'Refresh'}
    </button>
  );
}

/** Conditions that are shown by themselves; each can be taken away. */
export function Chips<T>(props: { chips: { text: string; without: T }[]; onRemove: (without: T) => void }) {
  const { chips, onRemove } = props;
  if (chips.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filters">
      {chips.map(({ text, without }) => (
        <li key={text}>
          <button className="button" aria-label={`Without: ${text}`} title={text} onClick={() => onRemove(without)}>
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
  /** What everything in the list would have, such as “the label x”. */
  filters: string[];
  onClear: () => void;
}

/** Where a list is empty because of what somebody asks for. */
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

/** How many there are, and the way to the other pages. */
export function Pages({ page, pages, total, what, onPage }: PagesProps) {
  const all = counted(total, what);
  if (pages <= 1) return <p className="quiet-text">{all}</p>;
  return (
    <div className="actions">
      <button className="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span>{`Page ${page} of ${pages}, ${all}`}</span>
      <button className="button" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </div>
  );
}
