# No tensor has so many modes.
tensor x f64[3] dense = (1):2
expr y = x(i0,i1,i2,i3,i4,i5,i6,i7,i8,i9,i10,i11,i12,i13,i14,i15,i16,i17,i18,i19,i20,i21,i22,i23,i24,i25,i26,i27,i28,i29,i30,i31,i32,i33,i34,i35,i36,i37,i38,i39,i40,i41,i42,i43,i44,i45,i46,i47,i48,i49,i50,i51,i52,i53,i54,i55,i56,i57,i58,i59,i60,i61,i62,i63,i64,i65,i66,i67,i68,i69,i70,i71,i72,i73,i74,i75,i76,i77,i78,i79,i80,i81,i82,i83,i84,i85,i86,i87,i88,i89,i90,i91,i92,i93,i94,i95,i96,i97,i98,i99,i100)
> error E0102
error[E0102]: a tensor of more than 100 modes
 --> statement:1:5
  |
1 | y = x(i0,i1,i2,i3,i4,i5,i6,i7,i8,i9,i10,i11,i12,i...i90,i91,i92,i93,i94,i95,i96,i97,i98,i99,i100)
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^...^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
