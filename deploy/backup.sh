#!/bin/sh
# Takes and verifies a PostgreSQL base backup. Removes all but the last two backups, and archived WAL older than both.
# Run this script as root every night, with PGCLUSTER and BACKUP_DIR set as in docs/backup.md.
set -eu
umask 077
programs=/usr/lib/postgresql/${PGCLUSTER%/*}/bin
cd "$BACKUP_DIR"
base=base-$(date -u +%Y%m%dT%H%M%S%3NZ)
runuser -u postgres -- pg_basebackup --pgdata="$BACKUP_DIR/$base" --checkpoint=fast --wal-method=stream
runuser -u postgres -- "$programs/pg_verifybackup" --quiet "$BACKUP_DIR/$base"
cp -a "$(dirname "$(runuser -u postgres -- psql -d postgres -tAc 'SHOW config_file')")" "$base.settings"
for old in $(ls -d base-*Z | head -n -2); do rm -rf "$old" "$old.settings"; done
oldest=$(ls -d base-*Z | head -n 1)
first=$(sed -n 's/^START WAL LOCATION.*(file \(.*\))$/\1/p' "$oldest/backup_label")
"$programs/pg_archivecleanup" wal "$first"
echo "$base is complete; the archive begins with $first"
