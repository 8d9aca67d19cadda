import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { SkillCollectionBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Moment } from '../ui/moment';
import { NamedList } from '../ui/named-list';
import { Table } from '../ui/table';
import { skillPath } from './links';
import { NewSkill } from './write-skill';

/** The skill collections of the workspace. */
export default function Skills() {
  const [isCreating, setCreating] = useState(false);
  const read = useQuery({
    queryKey: ['skills'],
    queryFn: ({ signal }) => api('GET /api/public/v2/skill-collections', { signal }),
    select: ({ skill_collections: all }) => all,
  });
  return (
    <>
      <NamedList
        title="Skills"
        what="skill collection"
        read={read}
        help={<p>A skill collection is a folder of files for agents, with versions and labels.</p>}
        actions={
          <GuardedButton className="button primary" permission="SKILL_CREATE" onClick={() => setCreating(true)}>
            New skill collection
          </GuardedButton>
        }
        table={(items) => <SkillTable collections={items} />}
      />
      {isCreating && <NewSkill onClose={() => setCreating(false)} />}
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
