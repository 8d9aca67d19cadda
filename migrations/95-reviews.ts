import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Queues in which people review rows, requests or traces; their items, and the answers of each reviewer. */
export class Reviews1780000000095 implements MigrationInterface {
  name = 'Reviews1780000000095';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE review_queues (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        subject text NOT NULL,
        sheet_id uuid,
        rubric jsonb NOT NULL,
        reviewers_per_item smallint NOT NULL,
        state text NOT NULL DEFAULT 'open',
        human_column_id uuid,
        judge_column_id uuid,
        score_name text,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT review_queues_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query('CREATE INDEX review_queues_created_idx ON review_queues (workspace_id, created_at, id)');
    await db.query(`
      CREATE TABLE review_items (
        workspace_id integer NOT NULL,
        queue_id uuid NOT NULL,
        id uuid NOT NULL,
        ordinal integer NOT NULL,
        subject_id text NOT NULL,
        subject_number bigint,
        state text NOT NULL DEFAULT 'open',
        result jsonb,
        decided_by integer,
        leased_to text,
        leased_until timestamptz(3),
        CONSTRAINT review_items_pkey PRIMARY KEY (workspace_id, queue_id, id),
        CONSTRAINT review_items_queue_id_fkey FOREIGN KEY (workspace_id, queue_id)
          REFERENCES review_queues (workspace_id, id)
      )`);
    await db.query(`
      CREATE UNIQUE INDEX review_items_subject_key ON review_items (workspace_id, queue_id, subject_id)`);
    await db.query('CREATE UNIQUE INDEX review_items_ordinal_key ON review_items (workspace_id, queue_id, ordinal)');
    await db.query(`
      CREATE TABLE review_answers (
        workspace_id integer NOT NULL,
        queue_id uuid NOT NULL,
        item_id uuid NOT NULL,
        reviewer text NOT NULL,
        key_id integer,
        answer jsonb,
        comment text,
        revised boolean NOT NULL DEFAULT false,
        answered_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT review_answers_pkey PRIMARY KEY (workspace_id, queue_id, item_id, reviewer),
        CONSTRAINT review_answers_item_id_fkey FOREIGN KEY (workspace_id, queue_id, item_id)
          REFERENCES review_items (workspace_id, queue_id, id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE review_answers');
    await db.query('DROP TABLE review_items');
    await db.query('DROP TABLE review_queues');
  }
}
