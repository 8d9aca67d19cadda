import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { SkillCollectionBody } from '../api/schema.gen';
import { counted } from '../ui/format';
import { ListScreenHead, NothingLike } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { skillPath } from './links';

const DEFAULTS = { q: '' };

/** The skill collections of the workspace. */
export default function Skills() {
  const [{ q }, set] = useUrlState(DEFAULTS);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['skills'],
    queryFn: ({ signal }) => api('GET /api/public/v2/skill-collections', { signal }),
  });
  const all = data?.skill_collections;
  const shown = all?.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
  return (
    <>
      <ListScreenHead
        title="Skills"
        placeholder="A part of the name"
        q={q}
        onSearch={(words) => set({ q: words }, { replace: true })}
      />
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {all?.length === 0 && (
          <Note title="There are no skill collections yet">
            <p>
              A skill collection is a folder of files for agents. Create one with{' '}
              <code>POST /api/public/v2/skill-collections</code>.
            </p>
          </Note>
        )}
        {all && all.length > 0 && shown?.length === 0 && (
          <NothingLike what="skill collection" filters={[`“${q}” in the name`]} onClear={() => set(DEFAULTS)} />
        )}
        {shown && shown.length > 0 && (
          <div className="page-list">
            <SkillTable collections={shown} />
            <p className="quiet-text">{counted(shown.length, 'skill collection')}</p>
          </div>
        )}
      </div>
    </>
  );
}

function SkillTable({ collections }: { collections: SkillCollectionBody[] }) {
  return (
    <Table
      label="Skill collections"
      rows={collections}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name }) => (
            <Link className="link" href={skillPath(id)}>
              {name}
            </Link>
          ),
        },
        { name: 'Description', className: 'breaks', cell: ({ description }) => description ?? '' },
        { name: 'For', cell: ({ provider }) => provider ?? '' },
        { name: 'Updated', cell: ({ updated_at }) => <Moment at={updated_at} /> },
      ]}
    />
  );
}
