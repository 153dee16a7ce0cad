SELECT * FROM phases p WHERE p.level > 0 ORDER BY p.holds, p.level, p.device, p.in_progress DESC
