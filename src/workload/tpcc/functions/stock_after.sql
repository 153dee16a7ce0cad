DECLARE
    ordered int;
BEGIN
    FOREACH ordered IN ARRAY quantities LOOP
        quantity := CASE WHEN quantity >= ordered + 10 THEN quantity - ordered ELSE quantity - ordered + 91 END;
    END LOOP;
    RETURN quantity;
END
