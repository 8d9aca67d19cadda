import { Fragment } from 'react';
import { Link } from 'wouter';

/** Names that lead somewhere, with commas between them. In a list the arrows lead to lines, so Tab passes over them. */
export function Links(props: { items: readonly string[]; to: (item: string) => string; inList?: boolean }) {
  const { items, to, inList = true } = props;
  return items.map((item, at) => (
    <Fragment key={item}>
      {at > 0 && ', '}
      <Link className="link" href={to(item)} tabIndex={inList ? -1 : undefined}>
        {item}
      </Link>
    </Fragment>
  ));
}
