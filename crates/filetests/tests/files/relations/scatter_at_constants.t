# A scalar operand and a literal say places; one that is below zero counts from the end.
tensor y i64[3,3] dense =
tensor s i64[] dense = 1
tensor x i64[4] dense = (0):1 (1):2 (2):4 (3):8
expr y((s),-1) += sum(i, where(x(i) > 1, x(i), 0))
> out all-backends
y = (1,2):14
