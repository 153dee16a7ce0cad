SELECT * FROM phases p WHERE p.level = 0 ORDER BY p.holds, p.device, p.in_progress DESC
