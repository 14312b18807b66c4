# A statement that is one sum is carried out in the dtype of the result.
tensor a i8[3] sv = (0):100 (2):100
result y i64 dense
expr y = a(i)
> out
y = 200
