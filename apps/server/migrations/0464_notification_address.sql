-- The notification address of a merchant goes: nothing was ever sent to it.
ALTER TABLE merchant_settings DROP COLUMN notification_address;
